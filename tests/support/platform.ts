/** Every test runs readers in Node. */

import { usePlatform } from '../../src/platform.js';
import { NODE } from '../../src/platform-node/index.js';

usePlatform(NODE);
