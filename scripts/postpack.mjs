// npm pack and npm publish: removes what prepack.mjs has copied into the folder that is packed.
import { removeInPlace } from './assemble.mjs';

removeInPlace();
