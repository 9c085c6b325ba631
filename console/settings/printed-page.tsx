interface PrintedPageProps {
  /** The name of the frame, for those who hear it. */
  readonly title: string
  /** A document as a page to print, with one style and no script. */
  readonly page: string
}

/** A document as it is printed. The policy of this page permits no style within a frame: it is adopted. */
export function PrintedPage({ title, page }: PrintedPageProps) {
  const [before = '', style = '', after = ''] = page.split(/<\/?style>/)
  return (
    <iframe
      class="sample"
      title={title}
      // No script runs in it.
      sandbox="allow-same-origin"
      srcdoc={before + after}
      onLoad={({ currentTarget }) => showStyle(currentTarget.contentDocument, style)}
    />
  )
}

/** A sheet of paper is wider than its place, and more so on a phone. */
const ZOOM = 'html { zoom: 0.8 } @media (max-width: 350px) { html { zoom: 0.6 } }'

function showStyle(page: Document | null, style: string): void {
  const Sheet = page?.defaultView?.CSSStyleSheet
  if (!page || !Sheet) return
  const sheet = new Sheet()
  sheet.replaceSync(style + ZOOM)
  page.adoptedStyleSheets = [sheet]
}
