import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

export type ShowToast = (sentence: string) => void

const ToastContext = createContext<ShowToast>(() => {})

export const useToast = (): ShowToast => useContext(ToastContext)

const SHOWN_MS = 6000

let made = 0

/** The last sentence is shown next to the search until it disappears. Refusals stay where they were. */
export function Toasts({ children }: { readonly children: ComponentChildren }) {
  const [toast, setToast] = useState<{ readonly id: number; readonly sentence: string }>()
  const showToast = useCallback((sentence: string) => {
    const one = { id: made++, sentence }
    setToast(one)
    setTimeout(() => setToast((before) => (before === one ? undefined : before)), SHOWN_MS)
  }, [])
  return (
    <ToastContext.Provider value={showToast}>
      {children}
      <div class="toasts" role="status">
        {toast && (
          <p key={toast.id} class="toast">
            <Icon name="check" />
            {toast.sentence}
          </p>
        )}
      </div>
    </ToastContext.Provider>
  )
}
