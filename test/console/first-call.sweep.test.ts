import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aSignedPage, expectSound, serveConsole } from '#test/console/console-pages.ts'
import { firstCall } from './first-call.ts'

const served = await serveConsole()

describe.runIf(served.browser)('in a browser', () => {
  test('a customer is added and its first call rated by keyboard, and every step is sound', async () => {
    const page = await aSignedPage(served, { width: 1440 })
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-first-call-'))
    const steps: string[] = []

    await firstCall(page, served.url, async (step) => {
      steps.push(step)
      await page.screenshot({ path: join(folder, `${steps.length}-${step}.png`) })
      await expectSound(page, step)
    })

    expect(steps).toEqual(['customer', 'device', 'switch', 'customers', 'account', 'price'])
    await page.getByText('The customer pays 0.02925 USD').waitFor()
  })
})
