/** A sheet that cannot be read at all, in a sentence for whoever sent it. */
export class SheetError extends Error {}
