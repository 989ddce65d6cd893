/** An expression, as an attribute `exp` says it. */
export type Expression =
  | { readonly kind: 'concat'; readonly separator: string }
  | { readonly kind: 'find'; readonly pattern: string }
  | { readonly kind: '+' | '*' | 'jsondump' }

/** The forms of expressions, for messages. */
export const expressionForms: readonly string[] = ["concat('…')", "find('…')", '+', '*', 'jsondump']

/** The expression that a text says; `undefined` if it says none. */
export function expressionOf(text: string): Expression | undefined {
  const exp = text.trim()
  if (exp === '+' || exp === '*' || exp === 'jsondump') return { kind: exp }
  const [, name, argument = ''] = /^(concat|find)\('(.*)'\)$/s.exec(exp) ?? []
  if (name === 'concat') return { kind: name, separator: argument }
  return name === 'find' ? { kind: name, pattern: argument } : undefined
}
