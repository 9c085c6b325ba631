/** Lines in a square of 24, so that they have the colour and the size of the text next to them. */
const PATHS = {
  alert: 'M12 8v5m0 3.5v.01M12 3 2.5 20h19Z',
  arrow: 'M12 19V5m-6 6 6-6 6 6',
  book: 'M5 5a2 2 0 0 1 2-2h12v18H7a2 2 0 0 1-2-2Zm0 12h14M9 7h6',
  calendar: 'M5 6h14v14H5ZM5 10h14M9 3v4m6-4v4',
  chart: 'M4 4v16h16M9 16v-4m4 4V8m4 8v-6',
  check: 'M4 12.5 9.5 18 20 6.5',
  chevron: 'm9 5 7 7-7 7',
  close: 'M5 5l14 14M19 5 5 19',
  coins: 'M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3Zm8 6.3A6 6 0 1 1 9.3 17',
  copy: 'M9 9h11v11H9ZM5 15H4V4h11v1',
  download: 'M12 4v11m-5-5 5 5 5-5M4 20h16',
  exchange: 'M4 8h15m-4-4 4 4-4 4m5 4H5m4-4-4 4 4 4',
  filter: 'M3 5h18l-7 8.5V20l-4-2v-4.5Z',
  gauge: 'M4 19a9 9 0 1 1 16 0ZM12 15l4-5',
  gear: 'M4 7h9m4 0h3M4 17h3m4 0h9M15 4.5v5m-6 5v5',
  hash: 'M5 9h15M4 15h15M10 4 8 20m8-16-2 16',
  hidden: 'M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6ZM4 4l16 16',
  hook: 'M14 10V5a2 2 0 1 0-4 0v9a4 4 0 1 0 8 0v-1l-2.5 2M18 13l2 2',
  inbox: 'M4 13h4l1.5 3h5L16 13h4M4 13l3-8h10l3 8v6H4Z',
  info: 'M12 11v6m0-9.5v.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z',
  invoice: 'M6 3h12v18l-3-2-3 2-3-2-3 2Zm3 5h6m-6 4h6',
  key: 'M8 11a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9Zm3.2 1.3L20 3.5m-4 4 3 3',
  more: 'M5 11.5v1m7-1v1m7-1v1',
  network: 'M9 3h6v5H9ZM3 16h6v5H3Zm12 0h6v5h-6ZM12 8v4M6 16v-4h12v4',
  pause: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm-2 6v6m4-6v6',
  pencil: 'M4 20l1-5L16 4l4 4L9 19Zm9-13 4 4',
  people:
    'M9 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM2 20c0-3.5 3-5 7-5s7 1.5 7 5m0-15.5a4 4 0 0 1 0 7m2.5 4c2 .7 3.5 2 3.5 4.5',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM4 20c0-3.5 3.5-5 8-5s8 1.5 8 5',
  phone: 'M5 3h4l2 5-2.5 1.5a11 11 0 0 0 6 6L16 13l5 2v4a2 2 0 0 1-2 2A16 16 0 0 1 3 5a2 2 0 0 1 2-2Z',
  pin: 'M12 21s-7-6.5-7-11.5a7 7 0 0 1 14 0C19 14.5 12 21 12 21Zm0-14a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z',
  plus: 'M12 5v14M5 12h14',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7Z',
  repeat: 'M4 11a6 6 0 0 1 6-5h9m-3-3 3 3-3 3m4 4a6 6 0 0 1-6 5H5m3 3-3-3 3-3',
  route:
    'M6 14a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM18 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM9 17h6a3.5 3.5 0 0 0 0-7H9a3 3 0 0 1 0-6h3',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 4.5 4.5',
  send: 'M4 12 20 4l-6 16-3-7Z',
  shown: 'M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6Zm9-2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z',
  stethoscope:
    'M5 3H4v5a4.5 4.5 0 0 0 9 0V3h-1M8.5 12.5V15a5.5 5.5 0 0 0 11 0v-2m0-4a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z',
  tag: 'M3 4v7l10 10 7-7L10 4Zm5 4v.01',
  terminal: 'M5 7l5 5-5 5m8 1h6',
  turning: 'M12 3a9 9 0 1 0 9 9',
  upload: 'M12 20V9m-5 5 5-5 5 5M4 4h16',
} as const

export type IconName = keyof typeof PATHS

/** A drawing next to words, which a screen reader skips. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
