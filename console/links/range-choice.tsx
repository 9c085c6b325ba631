import { goWith } from '../place.ts'
import { type DayRange, RANGES } from '../range.ts'

/** Which days are looked at. The choice is in the address, so it can be sent to a colleague. */
export const RangeChoice = ({ range }: { readonly range: DayRange }) => (
  <div class="range-choice cluster">
    <select
      class="input"
      aria-label="Days"
      value={range.name}
      onChange={({ currentTarget: { value } }) => goWith(valuesFor(value, range))}
    >
      {RANGES.map(([name, title]) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
    </select>
    {range.name === 'custom' && (
      <>
        <DayInput label="First day" value={range.from} onChange={(from) => goWith({ from })} />
        <DayInput label="Last day" value={range.till} onChange={(till) => goWith({ till })} />
      </>
    )}
    <span class="muted nowrap range-days">
      {range.from === range.till ? range.from : `${range.from} – ${range.till}`}
    </span>
  </div>
)

const valuesFor = (name: string, { from, till }: DayRange) =>
  name === 'custom' ? { range: name, from, till } : { range: name, from: '', till: '' }

interface DayInputProps {
  readonly label: string
  readonly value: string
  readonly onChange: (day: string) => void
}

const DayInput = ({ label, value, onChange }: DayInputProps) => (
  <input
    class="input"
    type="date"
    aria-label={label}
    value={value}
    onChange={({ currentTarget }) => currentTarget.value && onChange(currentTarget.value)}
  />
)
