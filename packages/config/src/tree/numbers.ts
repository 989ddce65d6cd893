/** A number as JSON writes it. */
export const jsonNumber: RegExp = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const decimal = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/

/** A number as JSON writes it, with all its digits; `undefined` if the text is not a number. */
export function asJsonNumber(text: string): string | undefined {
  if (jsonNumber.test(text)) return text
  const [, sign, whole = '', fraction = '', power = ''] = decimal.exec(text) ?? []
  if (sign === undefined || whole + fraction === '') return undefined
  const digits = whole.replace(/^0+(?=\d)/, '') || '0'
  return `${sign === '-' ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}${power}`
}
