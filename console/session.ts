const PLACE = 'tollgate-key'

/** The secret key that the explorer signs with, for the life of this tab. The session is a cookie, which no script reads. */
export const keptKey = (): string => sessionStorage.getItem(PLACE) ?? ''

export const keepKey = (key: string): void => sessionStorage.setItem(PLACE, key)

export const forgetKey = (): void => sessionStorage.removeItem(PLACE)
