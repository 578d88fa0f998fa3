/** Runs before each test file. */

import { afterAll } from 'vitest';
import { usePlatform } from '../../packages/readers/src/base/platform.js';
import { NODE } from '../../packages/server/src/platform-node/index.js';
import { removeTempFolders } from './temp.js';

// Every test runs readers in Node.
usePlatform(NODE);
// Given first, it runs last: servers have let go of their folders by then.
afterAll(removeTempFolders);
