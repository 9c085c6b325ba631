/** middy tests answers for this class, which none of ours has. Node's own takes milliseconds to load. */
export class ReadableStream {}
