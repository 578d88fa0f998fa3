/**
 * Float32 samples are stored as their bits in unsigned integer textures. Drivers cannot remove the test for NaN or change
 * a bit, and such textures can be drawn into without an extension. Integers of 8 and 16 bits are stored as they are.
 */
const HEAD = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2DArray;
precision highp usampler2D;
precision highp isampler2D;
const uint NOT_FINITE = 0x7fc00000u;
const uint ABSENT = 0x7fc00001u;
bool isFinite(uint bits) { return (bits & 0x7f800000u) != 0x7f800000u; }
`;

/** What a texture holds: bits of float32, integers, or entries of a level. */
export type Content = 'float' | 'integer' | 'cells';

/** One triangle over the whole viewport. */
export const EVERYWHERE = `#version 300 es
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}`;

/**
 * Computes (low, high, mean, count) of the finite samples of each cell; x = 1 where rows are missing. `cells` reads
 * entries of a level, otherwise samples. `simple` is for cells in one page with the width of one tile: software
 * rendering would run both branches of every condition.
 */
export function reduceShader(content: Content, simple: boolean): string {
  const page = (name: string, at: string) => `texelFetch(${name}, ${at}, 0)`;
  const fetch = simple
    ? `at.x = column; uvec4 entry = ${page('page', 'at')};`
    : `int tile = column / tiles.x;
      ivec3 place = ivec3(column - tile * tiles.x, at.y, at.z + tile);
      uvec4 entry = next ? ${page('nextPage', 'place')} : ${page('page', 'place')};`;
  const sample =
    content === 'float'
      ? `if (!isFinite(entry.r)) continue;
      float value = uintBitsToFloat(entry.r);`
      : 'float value = float(int(entry.r << signShift) >> signShift);';
  const take =
    content !== 'cells'
      ? `${sample}
      if (count == 0u) { low = value; high = value; base = value; }
      low = min(low, value);
      high = max(high, value);
      sum += value - base;
      count++;`
      : `if (entry.w == 0u) continue;
      vec3 values = uintBitsToFloat(entry.xyz);
      if (count == 0u) { low = values.x; high = values.y; base = values.z; }
      low = min(low, values.x);
      high = max(high, values.y);
      sum += (values.z - base) * float(entry.w);
      count += entry.w;`;
  return `${HEAD}
uniform usampler2DArray page;
uniform usampler2DArray nextPage;
uniform isampler2D rowBounds;
uniform isampler2D columnBounds;
uniform ivec2 factor;    // (columns, rows) per cell; 0: by the bounds
uniform ivec2 origin;    // cell at the corner of the target
uniform ivec2 size;      // columns, rows of the source
uniform int present;     // rows of the source that can be read
uniform ivec3 tiles;     // tile width, tile height, tiles across
uniform ivec2 pageRows;  // first row of the page, and of the next
uniform int signShift;   // bits above a signed integer; 0 for unsigned ones
out uvec4 result;

void main() {
  ivec2 cell = origin + ivec2(gl_FragCoord.xy);
  ivec2 begin, end;
  if (factor.x > 0) {
    begin = cell * factor;
    end = min(begin + factor, size);
  } else {
    begin = ivec2(texelFetch(columnBounds, ivec2(cell.x, 0), 0).r, texelFetch(rowBounds, ivec2(cell.y, 0), 0).r);
    end = ivec2(texelFetch(columnBounds, ivec2(cell.x + 1, 0), 0).r, texelFetch(rowBounds, ivec2(cell.y + 1, 0), 0).r);
  }
  if (end.y > present) { result = uvec4(1u, 0u, 0u, 0u); return; }
  float low = 0.0, high = 0.0, base = 0.0, sum = 0.0;
  uint count = 0u;
  for (int row = begin.y; row < end.y; row++) {
    bool next = row >= pageRows.y;
    int inPage = row - (next ? pageRows.y : pageRows.x);
    int down = inPage / tiles.y;
    ivec3 at = ivec3(0, inPage - down * tiles.y, down * tiles.z);
    for (int column = begin.x; column < end.x; column++) {
      ${fetch}
      ${take}
    }
  }
  result = count == 0u ? uvec4(0u) : uvec4(floatBitsToUint(vec3(low, high, base + sum / float(count))), count);
}`;
}

/**
 * Computes the value that each cell shows: see docs/decisions/0007-what-a-minified-pixel-shows.md and shown-value.ts.
 */
export const RESOLVE = `${HEAD}
uniform usampler2D cells;
uniform ivec2 size;
uniform bool minified;
uniform bool labels;
out uint value;

float median(float v[9]) {
  #define SORT(a, b) { float t = min(v[a], v[b]); v[b] = max(v[a], v[b]); v[a] = t; }
  SORT(1, 2) SORT(4, 5) SORT(7, 8) SORT(0, 1) SORT(3, 4) SORT(6, 7) SORT(1, 2) SORT(4, 5) SORT(7, 8)
  SORT(0, 3) SORT(5, 8) SORT(4, 7) SORT(3, 6) SORT(1, 4) SORT(2, 5) SORT(4, 7) SORT(4, 2) SORT(6, 4) SORT(4, 2)
  return v[4];
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  uvec4 cell = texelFetch(cells, at, 0);
  if (cell.w == 0u) { value = cell.x == 1u ? ABSENT : NOT_FINITE; return; }
  value = cell.z;
  if (!minified || cell.w == 1u) return;
  if (labels) { value = cell.y; return; }
  vec3 stats = uintBitsToFloat(cell.xyz);
  float lows[9];
  float highs[9];
  for (int i = 0; i < 9; i++) {
    uvec4 near = texelFetch(cells, clamp(at + ivec2(i % 3 - 1, i / 3 - 1), ivec2(0), size - 1), 0);
    lows[i] = near.w == 0u ? 3e38 : uintBitsToFloat(near.x);
    highs[i] = near.w == 0u ? -3e38 : uintBitsToFloat(near.y);
  }
  float usualLow = median(lows);
  float usualHigh = median(highs);
  if (usualLow > usualHigh) { usualLow = stats.z; usualHigh = stats.z; }
  float n = float(cell.w);
  float limit = 3.0 * (usualHigh - usualLow) / sqrt(4.7 * log2(n) - 5.8 + 9.5 / (n * n));
  float above = stats.y - usualHigh;
  float below = usualLow - stats.x;
  if (max(above, below) > limit) value = above >= below ? cell.y : cell.x;
}`;

/** Draws the colors of a picture. Sweep 0 replaces, 1 adds (by blending), 2 draws marks over the sum. */
export const COLOR = `${HEAD}
uniform usampler2D values;
uniform isampler2D mapX;
uniform isampler2D mapY;
uniform highp sampler2D luts;
uniform int lut;
uniform bool transposed;
uniform int height;
uniform int sweep;
uniform bool marked;
uniform bool clipping;
uniform vec4 range;      // min, max, gamma, opacity
uniform int scale;       // 0: linear, 1: logarithmic, 2: labels
uniform vec3 ground;
uniform vec3 nanColor;
uniform vec3 lowColor;
uniform vec3 highColor;
out vec4 color;

void main() {
  int x = texelFetch(mapX, ivec2(int(gl_FragCoord.x), 0), 0).r;
  int y = texelFetch(mapY, ivec2(height - 1 - int(gl_FragCoord.y), 0), 0).r;
  uint bits = ABSENT;
  if (x >= 0 && y >= 0) bits = texelFetch(values, transposed ? ivec2(y, x) : ivec2(x, y), 0).r;
  if (bits == ABSENT) {
    if (sweep != 0) discard;
    color = vec4(ground, 1.0);
    return;
  }
  bool finite = isFinite(bits);
  float v = finite ? uintBitsToFloat(bits) : 0.0;
  int mark = !finite ? 1 : !clipping ? 0 : v < range.x ? 2 : v > range.y ? 3 : 0;
  if (marked && mark > 0) {
    color = vec4(mark == 1 ? nanColor : mark == 2 ? lowColor : highColor, 1.0);
    return;
  }
  if (sweep == 2) discard;
  float t = clamp((v - range.x) / (range.y - range.x), 0.0, 1.0);
  if (scale == 1) t = log2(1.0 + 999.0 * t) / log2(1000.0);
  if (range.z != 1.0) t = pow(t, range.z);
  int index = int(floor(t * 255.0 + 0.5));
  if (scale == 2) {
    int label = int(floor(clamp(v, 0.0, 2147483520.0)));
    index = label < 1 ? 0 : 1 + (label - 1) % 255;
  }
  vec3 lit = texelFetch(luts, ivec2(index, lut), 0).rgb;
  if (range.w != 1.0) lit = floor(lit * 255.0 * range.w + 0.5) / 255.0;
  color = vec4(finite ? lit : vec3(0.0), 1.0);
}`;
