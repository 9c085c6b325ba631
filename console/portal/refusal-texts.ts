import type { Translations } from '#lib/base/language/language.ts'

/** The words of refusals, at the sign-in and on the page of a customer. */
export const REFUSAL_TEXTS = {
  unreachable: [
    'The server cannot be reached.',
    'Der Server ist nicht erreichbar.',
    'Le serveur est injoignable.',
    'No se puede conectar con el servidor.',
  ],
  wrongCredentials: [
    'The username or the password is wrong, or the account is blocked.',
    'Benutzername oder Passwort ist falsch, oder das Konto ist gesperrt.',
    "Le nom d'utilisateur ou le mot de passe est incorrect, ou le compte est bloqué.",
    'El nombre de usuario o la contraseña no es correcto, o la cuenta está bloqueada.',
  ],
  tooManyAttempts: [
    'Too many wrong passwords: wait 10 seconds, then try again.',
    'Zu viele falsche Passwörter: Warten Sie 10 Sekunden und versuchen Sie es erneut.',
    'Trop de mots de passe erronés : attendez 10 secondes, puis réessayez.',
    'Demasiadas contraseñas incorrectas: espere 10 segundos e inténtelo de nuevo.',
  ],
  pageOff: [
    'This page is switched off for customers.',
    'Diese Seite ist für Kunden abgeschaltet.',
    'Cette page est désactivée pour les clients.',
    'Esta página está desactivada para los clientes.',
  ],
  tryAgain: [
    'This took too long. Try again.',
    'Das hat zu lange gedauert. Versuchen Sie es erneut.',
    "L'opération a pris trop de temps. Réessayez.",
    'La operación ha tardado demasiado. Inténtelo de nuevo.',
  ],
  changedMeanwhile: [
    'This was changed at the same time. Look at it again.',
    'Das wurde gleichzeitig geändert. Sehen Sie es sich noch einmal an.',
    'Cela a été modifié en même temps. Vérifiez à nouveau.',
    'Esto se ha modificado al mismo tiempo. Revíselo de nuevo.',
  ],
  notThere: [
    'This does not exist any more.',
    'Das gibt es nicht mehr.',
    "Cela n'existe plus.",
    'Esto ya no existe.',
  ],
  failed: [
    'Something went wrong. Try again later.',
    'Etwas ist schiefgegangen. Versuchen Sie es später erneut.',
    'Une erreur est survenue. Réessayez plus tard.',
    'Se ha producido un error. Inténtelo más tarde.',
  ],
  noFile: [
    'This file cannot be made here. Ask your provider for it.',
    'Diese Datei kann hier nicht erstellt werden. Fragen Sie Ihren Anbieter danach.',
    'Ce fichier ne peut pas être créé ici. Demandez-le à votre opérateur.',
    'Este archivo no se puede crear aquí. Pídalo a su operador.',
  ],
} as const satisfies Record<string, Translations>

/** The texts of refusals by their code. What an API says in English stands for none of them. */
export const REFUSALS: Readonly<Record<string, keyof typeof REFUSAL_TEXTS>> = {
  unreachable: 'unreachable',
  wrong_credentials: 'wrongCredentials',
  too_many_attempts: 'tooManyAttempts',
  page_off: 'pageOff',
  try_again: 'tryAgain',
  conflict: 'changedMeanwhile',
  not_found: 'notThere',
}
