// How Node finds its application in an executable.

/** Node looks for its application in an executable whose fuse is set. */
export const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
/** Name of the part of the executable that has the application. */
export const BLOB = 'NODE_SEA_BLOB';
