const PLACE = 'tollgate-key'

/** The explorer's secret key, for this tab's life. The session is a cookie that no script reads. */
export const keptKey = (): string => sessionStorage.getItem(PLACE) ?? ''

export const keepKey = (key: string): void => sessionStorage.setItem(PLACE, key)

export const forgetKey = (): void => sessionStorage.removeItem(PLACE)
