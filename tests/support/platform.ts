/** Every test runs readers in Node. */

import { usePlatform } from '../../packages/server/src/platform.js';
import { NODE } from '../../packages/server/src/platform-node/index.js';

usePlatform(NODE);
