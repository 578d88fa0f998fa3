/** `description` of the index, which identifies this product among servers of the same API. */
export const DESCRIPTION = 'Acquisition Store Server';
