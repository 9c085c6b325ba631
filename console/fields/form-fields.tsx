import type { SentValues } from '../api/catalogue.ts'
import { type FieldProps, LabelledField, SwitchField } from '../ui/field.tsx'
import { CustomerField } from './customer-field.tsx'

/** A field of a form, under the name of its value. */
export interface FormField extends Omit<FieldProps, 'value' | 'onInput' | 'wrong'> {
  readonly name: string
  /** A switch has `yes` or a blank. A customer is found by the beginning of a name. */
  readonly control?: 'switch' | 'customer'
}

interface FormFieldsProps {
  readonly fields: readonly FormField[]
  readonly values: SentValues
  /** The problem of each field, by the field's name. */
  readonly wrong?: ReadonlyMap<string, string> | undefined
  readonly onChange: (changed: SentValues) => void
}

export const FormFields = ({ fields, values, wrong, onChange }: FormFieldsProps) => (
  <>
    {fields.map(({ name, control, ...field }) => {
      const shared = {
        ...field,
        wrong: wrong?.get(name),
        value: values[name] ?? '',
        onInput: (value: string) => onChange({ [name]: value }),
      }
      if (control === 'customer') return <CustomerField key={name} required={false} {...shared} />
      if (control !== 'switch') return <LabelledField key={name} {...shared} />
      return (
        <SwitchField
          key={name}
          {...shared}
          value={shared.value === 'yes' ? '1' : '0'}
          onInput={(value) => onChange({ [name]: value === '1' ? 'yes' : '' })}
        />
      )
    })}
  </>
)
