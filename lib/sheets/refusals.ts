/** A sheet that cannot be read at all, in a sentence for whoever sent it. */
export class SheetError extends Error {}

/** A row of a sheet that does not become a rate: names the column, the cell, and what would be right. */
export class SheetRowRefused extends Error {}
