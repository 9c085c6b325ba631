import {
  CONSOLE_HEADERS,
  CONSOLE_ROUTES,
  consolePathOf,
  consoleType,
  describedAt,
  NO_CONSOLE_FILE,
} from '../../console/served/console-file.ts'
import type { Route } from './gateway.ts'

/** The console's routes. `demoKey` is the demo's secret key, which the page shows; missing for other data. */
export const consoleRoutes = (
  textAt: (path: string) => Promise<string | undefined>,
  demoKey?: string,
): Route[] =>
  CONSOLE_ROUTES.map((route) => ({
    path: route,
    verbs: ['GET', 'HEAD'],
    handler: async (event) => {
      const path = consolePathOf(event)
      const text = await textAt(path)
      if (text === undefined) return NO_CONSOLE_FILE
      const whole = path === '/api/openapi.json' ? describedAt(text, event) : text
      return {
        statusCode: 200,
        headers: { ...CONSOLE_HEADERS, 'Content-Type': consoleType(path) ?? '' },
        body: path === '/' ? withDemo(text, demoKey) : whole,
      }
    },
  }))

/** The password of the demo's admin (data/demo/README.md), which the page shows like the key. */
const DEMO_PASSWORD = 'demo-admin'

const withDemo = (page: string, demoKey = ''): string =>
  page
    .replace(/(?<=demo-key" content=")/, demoKey)
    .replace(/(?<=demo-password" content=")/, demoKey && DEMO_PASSWORD)
