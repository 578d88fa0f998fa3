/** How texts of vendors become lists of names and values. */
import { expect, it } from 'vitest';
import { addJson } from '../../../packages/readers/src/model/metadata/flatten-json.js';
import { addText } from '../../../packages/readers/src/model/metadata/flatten-text.js';
import { addXml, type XmlListing } from '../../../packages/readers/src/model/metadata/flatten-xml.js';
import { METADATA_LIMITS, MetadataList } from '../../../packages/readers/src/model/metadata-list.js';

/** Returns `name=value`, with ` (note)` behind it. */
function listed(add: (list: MetadataList) => void): string[] {
  const list = new MetadataList();
  add(list);
  return list.result().entries.map(({ name, value, note }) => `${name}=${value}${note ? ` (${note})` : ''}`);
}

const xml = (text: string, listing?: XmlListing) => listed((list) => addXml(list, text, listing));
const text = (value: string) => listed((list) => addText(list, 'ImageDescription', value));

it('XML elements and attributes are listed by their paths, in file order, without the root', () => {
  const document =
    '<?xml version="1.0"?><x:Root a="1"><x:Lens NA="0.8">10x</x:Lens><Empty/><Track><Gain> 600 </Gain></Track>' +
    '<Track><Gain>700</Gain></Track></x:Root>';
  expect(xml(document)).toEqual(['a=1', 'Lens=10x', 'Lens/NA=0.8', 'Empty=', 'Track[1]/Gain=600', 'Track[2]/Gain=700']);
});

it('XML elements with ids are listed under them', () => {
  expect(xml('<a><Objective Id="Objective:1"><NA>1.4</NA></Objective><Laser ID="9">x</Laser></a>')).toEqual([
    'Objective:1/NA=1.4',
    'Laser=x',
    'Laser/ID=9',
  ]);
});

it('XML elements that are a name and a value are listed by that name', () => {
  const toEntry: XmlListing['toEntry'] = ({ attributes: { key, value } }) =>
    key === undefined ? undefined : { name: key, value, hidden: ['key', 'value'] };
  expect(xml('<a><v key="dwell" value="0.4" unit="us"/><v key="dwell" value="2"/></a>', { toEntry })).toEqual([
    'dwell[1]=0.4',
    'dwell[1]/unit=us',
    'dwell[2]=2',
  ]);
});

it('of 250 XML siblings of one name 100 are listed, and the others counted', () => {
  const planes = '<Plane T="0"/>'.repeat(250);
  const entries = xml(`<a>${planes}<Last>1</Last></a>`);
  expect(entries).toHaveLength(102);
  expect(entries[99]).toBe('Plane[100]/T=0');
  expect(entries.slice(100)).toEqual(['Last=1', 'Plane[101]= (150 more elements of this name)']);
});

it('corrupted XML is listed up to where it can be read', () => {
  expect(xml('<a><b>1</b><c>2')).toEqual(['b=1', 'c=2']);
  expect(xml('')).toEqual([]);
});

it('JSON values are listed by their paths; long arrays are cut and say so', () => {
  const value = { a: { b: 1.5, c: null }, d: [1, 'x'], e: [{ f: true }, [2]], g: Array(5000).fill(0), h: [] };
  expect(listed((list) => addJson(list, '', value))).toEqual([
    'a/b=1.5',
    'a/c=null',
    'd=[1,"x"]',
    'e[0]/f=true',
    'e[1]=[2]',
    `g=${JSON.stringify(Array(64).fill(0))} (The first 64 of 5,000 values)`,
    'h=[]',
  ]);
});

it('JSON that nests without end is listed up to 32 levels', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
  const [entry] = listed((list) => addJson(list, '', deep));
  expect(entry).toMatch(/^(a\/){31}a= \(Nested too deep to be listed\)$/);
});

it('lines of a text become entries when most are settings', () => {
  expect(text('SI.hScan2D.pixelDwell = 4e-7\nSI.note = a = b\r\n\n')).toEqual([
    'ImageDescription/SI.hScan2D.pixelDwell=4e-7',
    'ImageDescription/SI.note=a = b',
  ]);
  expect(text('ImageJ=1.53t\nunit=micron\nfree line\n[Laser]\nPower: 5 mW at 10:30')).toEqual([
    'ImageDescription/ImageJ=1.53t',
    'ImageDescription/unit=micron',
    'ImageDescription=free line',
    'ImageDescription/Laser/Power=5 mW at 10:30',
  ]);
  expect(text('A note about a cell.\nIt was fine.\nreally = yes')).toEqual([
    'ImageDescription=A note about a cell.\nIt was fine.\nreally = yes',
  ]);
});

it('XML and JSON in a text are listed by their paths', () => {
  expect(text('<OME><Objective ID="Objective:0" LensNA="1.2"/></OME>')).toEqual([
    'ImageDescription/Objective:0/LensNA=1.2',
  ]);
  expect(text('{"shape": [1, 2], "broken": }')).toEqual(['ImageDescription={"shape": [1, 2], "broken": }']);
  expect(text('{"shape": [1, 2]}\0\0')).toEqual(['ImageDescription/shape=[1,2]']);
  expect(text('<5 mW')).toEqual(['ImageDescription=<5 mW']);
});

it('a megabyte of spaces in one line takes no time', () => {
  const line = `key${' '.repeat(2 ** 20)}x`;
  expect(text(line)).toHaveLength(1);
});

it('a long value is cut between characters and says how long it was', () => {
  const value = `${'a'.repeat(METADATA_LIMITS.valueCharacters - 1)}😀${'b'.repeat(5000)}`;
  expect(listed((list) => list.add('n', value))).toEqual([
    `n=${'a'.repeat(1023)} (The first 1,023 of 6,025 characters)`,
  ]);
});

it('a list ends at its number of entries and its number of characters', () => {
  const byCount = new MetadataList();
  for (let i = 0; i < METADATA_LIMITS.entries; i++) byCount.add('n', 'v');
  expect(byCount.result().truncated).toBe(false);
  byCount.add('n', 'v');
  expect([byCount.isFull, byCount.result().entries.length]).toEqual([true, METADATA_LIMITS.entries]);
  const byLength = new MetadataList();
  while (!byLength.isFull) byLength.add('n', 'v'.repeat(1023));
  expect(byLength.result().entries).toHaveLength(METADATA_LIMITS.characters / 1024);
  byLength.add('n', '');
  expect(byLength.result().entries).toHaveLength(METADATA_LIMITS.characters / 1024);
});
