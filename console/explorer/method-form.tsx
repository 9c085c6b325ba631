import type { Method, Parameter, Values } from '../api/catalogue.ts'
import { isSecret } from '../api/secrets.ts'

interface MethodFormProps {
  readonly method: Method
  readonly values: Values
  readonly onChange: (values: Values) => void
  readonly onSend: () => unknown
  readonly onExample: () => void
}

const CALLER: Parameter = {
  name: 'u',
  description: 'The username of the caller.',
  required: true,
  choices: [],
  example: 'admin',
}

/** One input for each parameter; what is blank is not sent. */
export function MethodForm({ method, values, onChange, onSend, onExample }: MethodFormProps) {
  const submit = (event: Event) => {
    event.preventDefault()
    onSend()
  }
  const parameters = [...(method.callers === 'public' ? [] : [CALLER]), ...method.parameters]
  return (
    <form class="card parameters" onSubmit={submit}>
      {parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name] ?? ''}
          onInput={(value) => onChange({ ...values, [parameter.name]: value })}
        />
      ))}
      <p class="actions">
        <button class="primary" type="submit">
          Sign and send
        </button>
        <button type="button" onClick={onExample}>
          Fill in the demo's example
        </button>
      </p>
    </form>
  )
}

interface ParameterFieldProps {
  readonly parameter: Parameter
  readonly value: string
  readonly onInput: (value: string) => void
}

const HIDDEN = { type: 'password' } as const
const SHOWN = { type: 'text' } as const

function ParameterField({ parameter, value, onInput }: ParameterFieldProps) {
  const { name, description, required, choices, example } = parameter
  const id = `parameter-${name}`
  const shared = { id, value, 'aria-describedby': `${id}-hint` }
  return (
    <div class="field">
      <label for={id}>
        <code>{name}</code>
        {required && <span class="required"> required</span>}
      </label>
      {choices.length > 0 ? (
        <select {...shared} onChange={(event) => onInput(event.currentTarget.value)}>
          <option value="">not sent</option>
          {choices.filter(Boolean).map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          {...(isSecret(name) ? HIDDEN : SHOWN)}
          placeholder={example}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
      <small id={`${id}-hint`} class="hint">
        {description}
      </small>
    </div>
  )
}
