/**
 * A hint for YAML that cannot be read because of a URL such as `memory:`, which YAML takes for a name without a value. Empty if
 * the text holds none.
 */
export function unquotedHint(text: string): string {
  const isThere = /^[^#\n"']*[:[,{-][ \t]+memory:[ \t]*(?=$|[,}\]#])/im.test(text)
  return isThere ? ' Write it in quotes: "memory:".' : ''
}
