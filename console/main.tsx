import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/controls.css'
import './styles/surfaces.css'
import './styles/table.css'
import './styles/explorer.css'
import './styles/dashboard.css'
import './styles/documents.css'
import './portal/portal.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { keepFocusInPlace } from './base/focus.ts'
import { chooseTheme, themeInUse } from './shell/theme.ts'

// uPlot, once loaded, formats in the browser's language, which may be `C` or `en-US@posix`: unknown to Intl.
try {
  new Intl.NumberFormat(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true })
}
chooseTheme(themeInUse())
keepFocusInPlace()

const root = document.getElementById('console')
if (root) render(<App />, root)
