import './base/safe-language.ts'
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

chooseTheme(themeInUse())
keepFocusInPlace()

const root = document.getElementById('console')
if (root) render(<App />, root)
