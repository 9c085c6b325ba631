import { useEffect, useState } from 'preact/hooks'
import { loadCatalogue, type Method } from './api/catalogue.ts'
import type { Signer } from './api/request.ts'
import { Dashboard } from './dashboard/dashboard.tsx'
import { Doctor } from './doctor/doctor.tsx'
import { Explorer } from './explorer/explorer.tsx'
import type { PartProps } from './part.ts'
import { usePlace } from './place.ts'
import { forget, keptSigner } from './session.ts'
import { Devices } from './views/devices.tsx'
import { Invoices } from './views/invoices.tsx'
import { Message } from './views/message.tsx'
import { Rates } from './views/rates.tsx'
import { SignIn } from './views/sign-in.tsx'

const TABS = [
  ['explorer', 'Explorer'],
  ['doctor', 'Doctor'],
  ['dashboard', 'Dashboard'],
  ['devices', 'Devices'],
  ['rates', 'Rates'],
  ['invoices', 'Invoices'],
] as const

export function App() {
  const place = usePlace()
  const [signer, setSigner] = useState<Signer | undefined>(keptSigner)
  const [catalogue, setCatalogue] = useState<readonly Method[]>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    loadCatalogue().then(setCatalogue, (error: Error) => setProblem(error.message))
  }, [])

  const signOut = () => {
    forget()
    setSigner(undefined)
  }
  return (
    <>
      <header class="top">
        <a class="brand" href="#/explorer">
          Tollgate
        </a>
        <nav aria-label="Parts of the console">
          {TABS.map(([tab, title]) => (
            <a key={tab} href={`#/${tab}`} aria-current={place.tab === tab ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        {signer && (
          <p class="signer">
            <span>{signer.username}</span>
            <button type="button" onClick={signOut}>
              Sign out
            </button>
          </p>
        )}
      </header>
      <main>
        {problem && <Message kind="error" text={problem} />}
        {!signer && <SignIn onSignIn={setSigner} />}
        {catalogue && signer && (
          <Part key={signer.username} place={place} catalogue={catalogue} signer={signer} />
        )}
      </main>
    </>
  )
}

const PARTS = {
  explorer: Explorer,
  doctor: Doctor,
  dashboard: Dashboard,
  devices: Devices,
  rates: Rates,
  invoices: Invoices,
}

function Part(props: PartProps) {
  const Chosen = PARTS[props.place.tab as keyof typeof PARTS] ?? Explorer
  return <Chosen {...props} />
}
