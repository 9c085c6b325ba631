import { whyUnread } from '#lib/api/unread-values.ts'
import type { DescribedMethod, Parameter, SentValues } from '../api/catalogue.ts'
import { isSecret } from '../api/secrets.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { LabelledField } from '../ui/field.tsx'

interface MethodFieldsProps {
  readonly method: DescribedMethod
  readonly values: SentValues
  /** Dates are read in the zone of the installation. */
  readonly zone: string
  readonly onChange: (values: SentValues) => void
}

const CALLER: Parameter = {
  name: 'u',
  description: 'The username of the caller.',
  required: true,
  choices: [],
  kind: 'text',
  example: '',
  isCompatibility: false,
}

/** One input for each parameter; blank ones are not sent. Parameters without an effect are folded. */
export function MethodFields({ method, values, zone, onChange }: MethodFieldsProps) {
  const parameters = [...(typeof method.callers === 'string' ? [] : [CALLER]), ...method.parameters]
  const fields = (wanted: readonly Parameter[]) => (
    <div class="fields">
      {wanted.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name] ?? ''}
          zone={zone}
          onInput={(value) => onChange({ ...values, [parameter.name]: value })}
        />
      ))}
    </div>
  )
  const folded = parameters.filter(({ isCompatibility }) => isCompatibility)
  return (
    <>
      {fields(parameters.filter(({ isCompatibility }) => !isCompatibility))}
      {method.parameters.length === 0 && <EmptyState title="This method has no parameters." />}
      {folded.length > 0 && (
        <details class="compatibility" open={folded.some(({ name }) => values[name])}>
          <summary>
            Compatibility <span class="muted">{folded.length} parameters that only old clients send</span>
          </summary>
          {fields(folded)}
        </details>
      )}
    </>
  )
}

interface ParameterFieldProps {
  readonly parameter: Parameter
  readonly value: string
  readonly zone: string
  readonly onInput: (value: string) => void
}

const ParameterField = ({ parameter, value, zone, onInput }: ParameterFieldProps) => {
  const { name, description, required, choices, example } = parameter
  const why = whyUnread(parameter, value, zone)
  return (
    <LabelledField
      label={name}
      mono
      required={required}
      hint={description}
      value={value}
      wrong={why && `Not read: ${why}`}
      onInput={onInput}
      secret={isSecret(name)}
      placeholder={isSecret(name) || example === '' ? '' : `e.g. ${example}`}
      {...(choices.length > 0 && { choices })}
    />
  )
}
