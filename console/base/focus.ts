/** The control that had the focus, and its place in each element around it, from the inside out. */
interface Origin {
  readonly control: HTMLElement
  readonly name: string
  readonly around: readonly (readonly [element: Element, place: number])[]
}

export const FOCUSABLE = 'a[href], button:not([disabled]), input:not([disabled]), select, textarea, summary'

let origin: Origin | undefined

/** Has the focus until what is loading has come. */
let standIn: HTMLElement | undefined

/**
 * When the focused element leaves the page, the focus goes to what took its place: the next row, the
 * notice, the form. So a list whose row is done goes on with the row after it
 * (https://adrianroselli.com/2023/08/where-to-put-focus-when-deleting-a-thing.html). A browser lets the focus
 * fall to the page (https://github.com/whatwg/html/issues/8367).
 */
export function keepFocusInPlace(): void {
  addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target !== standIn) origin = originOf(target)
  })
  addEventListener('pointerdown', () => {
    origin = undefined
  })
  // A panel that ends gives the focus back first.
  new MutationObserver(() => setTimeout(restoreLostFocus)).observe(document.body, {
    childList: true,
    subtree: true,
  })
}

function restoreLostFocus(): void {
  const { activeElement } = document
  if (activeElement !== document.body && activeElement !== standIn) return
  restoreFocus()
  // A hidden or disabled control cannot have it.
  if (origin && document.activeElement === document.body) focusMain()
}

/** Returns a function that puts the focus back, or into the place of an element that is gone by then. */
export function rememberFocus(): () => void {
  const before = origin
  return () => {
    origin = before
    restoreFocus()
  }
}

/** The heading of the view. The address has the view after its #, so no link can lead there. */
export function focusMain(): void {
  origin = undefined
  const main = document.getElementById('main')
  const heading = main?.querySelector('h1') ?? main
  if (heading) focusAnything(heading)
}

function restoreFocus(): void {
  if (!origin) return
  if (origin.control.matches('h1') && !origin.control.isConnected) {
    focusMain()
    return
  }
  const found = origin.control.isConnected ? origin.control : placeOf(origin)
  if (!found.matches(FOCUSABLE)) standIn = found
  focusAnything(found)
}

function focusAnything(element: HTMLElement): void {
  if (!element.matches(FOCUSABLE)) element.setAttribute('tabindex', '-1')
  element.focus({ preventScroll: true })
}

function originOf(control: HTMLElement): Origin {
  const around: (readonly [Element, number])[] = []
  for (let inner: Element = control; inner.parentElement; inner = inner.parentElement)
    around.push([inner.parentElement, [...inner.parentElement.children].indexOf(inner)])
  return { control, name: nameOf(control), around }
}

/** A notice is read before something is done about it, so it has the focus itself. */
function placeOf({ name, around }: Origin): HTMLElement {
  const [outer = document.body, place = 0] = around.find(([element]) => isLeft(element)) ?? []
  const there = outer.children[Math.min(place, outer.children.length - 1)] ?? outer
  const inside = there.matches('.notice') ? [] : controlsIn(there)
  const same = outer.matches('tbody') ? [] : controlsIn(outer).filter((one) => name && nameOf(one) === name)
  const found = same[0] ?? inside[0] ?? there
  return found instanceof HTMLElement ? found : document.body
}

const isLeft = (element: Element): boolean => element.isConnected && element.children.length > 0

/** The controls in sight, the element itself among them. */
export const controlsIn = (element: Element): HTMLElement[] =>
  [element, ...element.querySelectorAll(FOCUSABLE)].filter(
    (one) => one instanceof HTMLElement && one.matches(FOCUSABLE) && one.checkVisibility(),
  ) as HTMLElement[]

const nameOf = (control: Element): string => control.getAttribute('aria-label') ?? control.textContent
