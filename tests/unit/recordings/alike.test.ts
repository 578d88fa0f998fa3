import { expect, it } from 'vitest';
import type { AcquisitionInfo } from '../../../packages/readers/src/model/acquisition.js';
import { channelDifference } from '../../../packages/readers/src/recordings/alike.js';

const withChannels = (...names: string[]) =>
  ({ scenes: [{ channels: names.map((name) => ({ name })) }] }) as unknown as AcquisitionInfo;

it('files with other channels, or the same ones in another order, are not joined', () => {
  expect(channelDifference(withChannels('GFP', 'RFP'), withChannels('GFP', 'RFP'))).toBeUndefined();
  expect(channelDifference(withChannels('GFP', 'RFP'), withChannels('RFP', 'GFP'))).toBe('has other channels than');
});
