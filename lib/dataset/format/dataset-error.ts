/** Says in one sentence why a dataset cannot be imported at all. */
export class DatasetError extends Error {}
