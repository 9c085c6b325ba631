import { useEffect, useState } from 'preact/hooks'
import { loadCatalogue, type Method } from './api/catalogue.ts'
import type { Signer } from './api/request.ts'
import { Dashboard } from './dashboard/dashboard.tsx'
import { Doctor } from './doctor/doctor.tsx'
import { Explorer } from './explorer/explorer.tsx'
import type { PartProps } from './part.ts'
import { usePlace } from './place.ts'
import { forget, keep, keptSigner } from './session.ts'
import { AppHeader, titleOfPart } from './shell/header.tsx'
import { SignIn } from './shell/sign-in.tsx'
import { Notice } from './ui/notice.tsx'
import { Toasts } from './ui/toast.tsx'
import { Devices } from './views/devices.tsx'
import { Invoices } from './views/invoices.tsx'
import { Rates } from './views/rates.tsx'

const PARTS = new Map(
  Object.entries({
    explorer: Explorer,
    doctor: Doctor,
    dashboard: Dashboard,
    devices: Devices,
    rates: Rates,
    invoices: Invoices,
  }),
)

/** Signs in first: without a signer there is nothing to go to. */
export function App() {
  const [signer, setSigner] = useState<Signer | undefined>(keptSigner)
  const [catalogue, setCatalogue] = useState<readonly Method[]>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    loadCatalogue().then(setCatalogue, (error: Error) => setProblem(error.message))
  }, [])

  const signIn = (signed: Signer) => {
    keep(signed)
    setSigner(signed)
  }
  const signOut = () => {
    forget()
    setSigner(undefined)
  }
  if (problem) return <Notice tone="bad" title={problem} />
  if (!catalogue) return null
  if (!signer)
    return (
      <main>
        <SignIn catalogue={catalogue} onSignIn={signIn} />
      </main>
    )
  return (
    <Toasts key={signer.username}>
      <Parts catalogue={catalogue} signer={signer} onSignOut={signOut} />
    </Toasts>
  )
}

interface PartsProps extends Omit<PartProps, 'place'> {
  readonly onSignOut: () => void
}

/** An address that names no part shows the explorer. */
function Parts({ catalogue, signer, onSignOut }: PartsProps) {
  const place = usePlace()
  const part = PARTS.has(place.tab) ? place.tab : 'explorer'
  const Chosen = PARTS.get(part) ?? Explorer
  useEffect(() => {
    document.title = `${titleOfPart(part)} · Tollgate`
  }, [part])
  return (
    <>
      <AppHeader part={part} username={signer.username} onSignOut={onSignOut} />
      <main class={part === 'explorer' ? 'wide' : ''}>
        <Chosen place={place} catalogue={catalogue} signer={signer} />
      </main>
    </>
  )
}
