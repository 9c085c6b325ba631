import { Icon } from './icon.tsx'
import { Popup } from './popup.tsx'

export interface MenuItem {
  readonly title: string
  readonly isDangerous?: boolean
  readonly onChoose: () => void
}

interface MenuProps {
  /** Its name, such as "Actions of device 10". */
  readonly label: string
  readonly items: readonly MenuItem[]
}

export const Menu = ({ label, items }: MenuProps) => (
  <Popup label={label} kind="quiet small" shown={<Icon name="more" />}>
    {(close) =>
      items.map(({ title, isDangerous, onChoose }) => (
        <button
          key={title}
          type="button"
          class={isDangerous ? 'danger' : ''}
          onClick={() => {
            close()
            onChoose()
          }}
        >
          {title}
        </button>
      ))
    }
  </Popup>
)
