/** Ids are whole numbers from 0, so this one is nobody's. An ill-typed id stands for it (wire.md 4.6). */
export const NO_SUCH_ID = -1
