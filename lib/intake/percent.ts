/** A percent-encoded text in plain; the text as it is where its encoding is broken, as after a cut. */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
