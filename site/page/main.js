// What runs in every page of the site.
import { setUpBlocks } from './blocks.js';
import { setUpMenu } from './menu.js';
import { setUpSearch } from './search.js';
import { setUpTheme } from './theme-button.js';
import { setUpVersions } from './version-list.js';

const { top = '', page = '', version = '' } = document.documentElement.dataset;

setUpMenu();
setUpTheme();
setUpSearch(top);
setUpVersions({ top, page, version });
setUpBlocks();
