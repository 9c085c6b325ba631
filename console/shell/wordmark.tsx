/** A barrier that opens: the favicon of index.html is the same drawing. */
export const Wordmark = () => (
  <>
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M9 25V12M9 17.5 25 9M6.5 25h5" />
    </svg>
    <span>Tollgate</span>
  </>
)
