/** Ids are whole numbers from 0, so this one is nobody's: what an ill-typed id stands for (wire decisions 4.6). */
export const NO_SUCH_ID = -1
