import type { Page } from 'playwright-core'

type Role = 'button' | 'link' | 'textbox' | 'tab' | 'combobox'

type Name = string | RegExp

/** Somebody without a mouse. */
export interface Keyboard {
  readonly page: Page
  /** The keys that did something, as a click does: not the Tab key, and no text. */
  readonly pressed: () => number
  readonly press: (role: Role, name: Name) => Promise<void>
  readonly type: (field: Name, text: string, role?: Role) => Promise<void>
  readonly nextTab: (name: string) => Promise<void>
  /** Opens the file dialog of a field and chooses a file. */
  readonly choose: (path: string) => Promise<void>
}

export function keyboardOn(page: Page): Keyboard {
  let pressed = 0
  const hit = (key: string) => {
    pressed += 1
    return page.keyboard.press(key)
  }
  return {
    page,
    pressed: () => pressed,
    press: async (role, name) => {
      await tabTo(page, role, name)
      await hit('Enter')
    },
    type: async (field, text, role = 'textbox') => {
      const wanted = await tabTo(page, role, field)
      if (await wanted.evaluate((control) => control.matches('select'))) {
        // Choices may depend on the field before it, whose answer comes later.
        const choice = new RegExp(`^\\s*${text}`, 'i')
        await wanted.locator('option').filter({ hasText: choice }).first().waitFor({ state: 'attached' })
        return page.keyboard.type(text)
      }
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.insertText(text)
    },
    nextTab: async (name) => {
      await hit('ArrowRight')
      await page.getByRole('tab', { name, selected: true }).waitFor()
    },
    choose: async (path) => {
      const open = tabToElement(page, page.locator('input[type=file]')).then(() => hit('Enter'))
      const [dialog] = await Promise.all([page.waitForEvent('filechooser'), open])
      await dialog.setFiles(path)
    },
  }
}

/** From one control to the next of a task; the navigation has about 25 links. */
const MOST_KEYS = 32

/**
 * Presses the Tab key, and arrow keys in a table, until the focus is on what has this role and name, and is
 * not busy: a busy button has the focus and does nothing.
 */
export const tabTo = (page: Page, role: Role, name: Name) =>
  tabToElement(page, page.getByRole(role, { name, exact: typeof name === 'string', disabled: false }).first())

/** A control that is missing this long after the page last loaded something will not come. */
const GONE_MS = 15_000

async function tabToElement(page: Page, wanted: ReturnType<Page['locator']>) {
  for (let isThere = false; !isThere; )
    isThere = await wanted.waitFor({ timeout: GONE_MS }).then(
      () => true,
      async () => {
        if ((await page.locator('.skeleton, [aria-disabled=true]').count()) === 0)
          throw await goneFrom(page, wanted)
        return false
      },
    )
  for (let keys = 0; keys < MOST_KEYS; keys += 1) {
    const key = await keyTowards(wanted).catch(async () => {
      throw await goneFrom(page, wanted)
    })
    if (key === undefined) return wanted
    await page.keyboard.press(key)
  }
  throw new Error(`The Tab key does not lead to ${wanted}`)
}

async function goneFrom(page: Page, wanted: ReturnType<Page['locator']>): Promise<Error> {
  const focused = await page.evaluate('document.activeElement.outerHTML.slice(0, 200)')
  const shown = await page.locator('dialog[open], main').last().innerText()
  return new Error(`${wanted} is not in the page. The focus is on ${focused}. The page says:\n${shown}`)
}

/** Node.DOCUMENT_POSITION_FOLLOWING. */
const FOLLOWING = 4

/** Within a table arrow keys lead from row to row, and in a row from control to control. */
const KEYS = [
  ['[role=grid] tr', 'ArrowRight', 'ArrowLeft'],
  ['[role=grid]', 'ArrowDown', 'ArrowUp'],
  ['html', 'Tab', 'Shift+Tab'],
] as const

async function keyTowards(wanted: ReturnType<Page['locator']>): Promise<string | undefined> {
  const [isThere, place, isAfter] = await wanted.evaluate(
    (element, [keys, following]) => {
      const at = element.ownerDocument.activeElement
      const common = keys.findIndex(([around]) => at.closest(around)?.contains(element))
      return [element === at, common, (at.compareDocumentPosition(element) & following) !== 0] as const
    },
    [KEYS, FOLLOWING] as const,
    { timeout: GONE_MS },
  )
  return isThere ? undefined : KEYS[place]?.[isAfter ? 1 : 2]
}
