/** Every test runs readers in Node. */

import { usePlatform } from '../../packages/readers/src/base/platform.js';
import { NODE } from '../../packages/server/src/platform-node/index.js';

usePlatform(NODE);
