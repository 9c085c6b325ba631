import { useEffect, useState } from 'preact/hooks'
import type { SampleAnswer } from '#lib/api/console/answers/billing.ts'
import type { OwnBrandAnswer } from '#lib/api/console/answers/installation.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act, read } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { ActionForm } from '../fields/action.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { FileField } from '../ui/field.tsx'
import { useToast } from '../ui/toast.tsx'

/** Logo, colour and footer of the own documents, and of the page of the customers. */
export function BrandForm({ onInput }: { readonly onInput: (values: SentValues) => void }) {
  const tell = useToast()
  const query = useQuery<OwnBrandAnswer>('/own/brand')
  const [logo, setLogo] = useState<string>()
  return (
    <Loaded query={query} what="the brand" lines={4}>
      {(brand) => {
        const shown = logo ?? brand.logo
        return (
          <Card title="Brand">
            <ActionForm
              text="Save the brand"
              label="Brand"
              initial={{ colour: brand.colour, footer: brand.footer }}
              fields={[
                { name: 'colour', label: 'Colour', hint: 'Such as #0a7d5a. Blank: that of Tollgate.' },
                {
                  name: 'footer',
                  label: 'Footer of documents',
                  rows: 3,
                  hint: 'What your law wants of a seller: register, directors, interest on late payments.',
                },
              ]}
              onChange={onInput}
              run={async (_once, values) => {
                await act('PUT', '/brand', logo === undefined ? values : { ...values, logo })
                tell('The brand is saved.')
                query.again()
                onInput({})
              }}
            >
              <FileField
                label="Logo"
                accept="image/png,image/jpeg"
                hint="A PNG or JPEG of at most 100 KB."
                onChoose={async (file) => setLogo(file && (await dataAddress(file)))}
              />
              {shown !== '' && (
                <div class="cluster">
                  <img class="logo" src={shown} alt="Logo" />
                  <Button small onClick={() => setLogo('')}>
                    Remove the logo
                  </Button>
                </div>
              )}
            </ActionForm>
          </Card>
        )
      }}
    </Loaded>
  )
}

const dataAddress = (file: File): Promise<string> =>
  new Promise((done) => {
    const reader = new FileReader()
    reader.onload = () => done(String(reader.result))
    reader.readAsDataURL(file)
  })

/** After the last key, a page is asked for. */
const PAUSE_MS = 400

/** An invoice as it would look with the values of the forms, saved or not. */
export function SampleInvoice({ values }: { readonly values: SentValues }) {
  const [page, setPage] = useState('')
  const wanted = JSON.stringify(values)
  useEffect(() => {
    const timer = setTimeout(
      () =>
        read<SampleAnswer>('/document-files/sample', JSON.parse(wanted))
          .then((answer) => setPage(answer.page))
          .catch(() => undefined),
      page === '' ? 0 : PAUSE_MS,
    )
    return () => clearTimeout(timer)
  }, [wanted])
  // The policy of this page, which is that of the frame, too, permits no style within a document.
  const [before = '', style = '', after = ''] = page.split(/<\/?style>/)
  return (
    <iframe
      class="sample"
      title="An invoice as it would look"
      // No script runs in it.
      sandbox="allow-same-origin"
      srcdoc={before + after}
      onLoad={({ currentTarget }) => showStyle(currentTarget.contentDocument, style)}
    />
  )
}

/** A sheet of paper is wider than its place. */
const ZOOM = 'html { zoom: 0.8 }'

function showStyle(page: Document | null, style: string): void {
  const Sheet = page?.defaultView?.CSSStyleSheet
  if (!page || !Sheet) return
  const sheet = new Sheet()
  sheet.replaceSync(style + ZOOM)
  page.adoptedStyleSheets = [sheet]
}
