/** The themes that a person may choose; `system` follows the machine. */
export const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

export type Theme = (typeof THEMES)[number][0]

const PLACE = 'tollgate-theme'

export const themeInUse = (): Theme =>
  THEMES.find(([name]) => name === localStorage.getItem(PLACE))?.[0] ?? 'system'

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(PLACE, theme)
  document.documentElement.dataset['theme'] = theme
  // A chart is drawn again.
  dispatchEvent(new Event('resize'))
}
