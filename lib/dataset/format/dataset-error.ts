/** A dataset that cannot be imported at all, in one sentence. */
export class DatasetError extends Error {}
