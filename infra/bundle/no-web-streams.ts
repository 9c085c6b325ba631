/** middy tests answers for this class, which none of ours has. Loading Node's own class takes milliseconds. */
export class ReadableStream {}
