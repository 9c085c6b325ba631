/** A row that is not imported, for a reason its author is meant to read. The other rows go on. */
export class RowRefused extends Error {}

/** A dataset that cannot be imported at all, in one sentence. */
export class DatasetError extends Error {}
