/** What the routes of analysis have in common. */

import { ChannelParams } from '@acquisition-store/client/contract/session.js';
import { API_VERSION } from '@acquisition-store/client/contract/values.js';
import type { ErrorCode } from '@acquisition-store/readers/base/errors.js';
import { ADDRESS_ERRORS, PLACE_ERRORS, READ_ERRORS } from '../../operation-errors.js';

export const CHANNEL = '/api/v2/sessions/:sessionId/channels/:channelIndex';

const ERRORS: readonly ErrorCode[] = [
  ...ADDRESS_ERRORS,
  'channel_not_found',
  ...PLACE_ERRORS,
  'region_out_of_range',
  ...READ_ERRORS,
];

export const PARTS = { tag: 'Analysis', params: ChannelParams, errors: ERRORS };

export const OK = { ok: true, apiVersion: API_VERSION } as const;
