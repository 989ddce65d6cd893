import { ownerKey } from '@unikv/core/adapter'

/** A canonical key as people know it: the names of its namespaces, and the key. */
export function keyText(canonical: string): string {
  if (canonical.startsWith('\u0000')) return `a record that belongs to ${keyText(ownerKey(canonical) ?? '')}`
  const [, names = '', key = ''] = /^((?:\u0001[^\u0001\u0002]*)*)\u0002?(.*)$/s.exec(canonical) ?? []
  const path = names.split('\u0001').slice(1).map(unescaped)
  return [...path, key].map((part) => JSON.stringify(part)).join(' / ')
}

function unescaped(segment: string): string {
  return segment.replace(/\u0003(.)/gs, (_, c: string) => String.fromCharCode(c.charCodeAt(0) - 0x10))
}
