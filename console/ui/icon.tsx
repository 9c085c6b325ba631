/** Drawn in a square of 24 with a line, so that they take the colour and the size of the text beside them. */
const PATHS = {
  alert: 'M12 8v5m0 3.5v.01M12 3 2.5 20h19Z',
  arrow: 'M12 19V5m-6 6 6-6 6 6',
  calendar: 'M5 6h14v14H5ZM5 10h14M9 3v4m6-4v4',
  check: 'M4 12.5 9.5 18 20 6.5',
  chevron: 'm9 5 7 7-7 7',
  close: 'M5 5l14 14M19 5 5 19',
  copy: 'M9 9h11v11H9ZM5 15H4V4h11v1',
  download: 'M12 4v11m-5-5 5 5 5-5M4 20h16',
  hidden: 'M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6ZM4 4l16 16',
  inbox: 'M4 13h4l1.5 3h5L16 13h4M4 13l3-8h10l3 8v6H4Z',
  info: 'M12 11v6m0-9.5v.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z',
  more: 'M5 11.5v1m7-1v1m7-1v1',
  plus: 'M12 5v14M5 12h14',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7Z',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 4.5 4.5',
  send: 'M4 12 20 4l-6 16-3-7Z',
  shown: 'M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6Zm9-2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z',
  turning: 'M12 3a9 9 0 1 0 9 9',
} as const

export type IconName = keyof typeof PATHS

/** A drawing beside words, which a screen reader skips. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
