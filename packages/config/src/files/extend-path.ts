import { type Steps, stepsOf } from '../tree/path.ts'

/** One of the documents that an element extends. */
export interface ExtendPath {
  /** As it is written. */
  readonly written: string
  /** `undefined` for files without a scheme. */
  readonly scheme: string | undefined
  /** The part between the scheme and `#`. */
  readonly path: string
  /** The element in the document; empty for its root. */
  readonly steps: Steps
}

/** The paths in an attribute `extends`: the base and its mixins. A message if it is not right. */
export function extendPaths(attribute: string): readonly ExtendPath[] | string {
  const parts = attribute.split(';').map((part) => part.trim())
  const paths: ExtendPath[] = []
  for (const written of parts) {
    const path = extendPath(written)
    if (typeof path === 'string') return path
    paths.push(path)
  }
  return paths
}

function extendPath(written: string): ExtendPath | string {
  if (written === '') return 'extends has an empty path'
  if (written === '.')
    return "'.' stands alone in extends: it means the same place of the base, which mixins name too"
  const [, scheme, path = '', inside] = /^(?:(\w+):)?([^#]*)(?:#(.*))?$/s.exec(written) ?? []
  if (path.trim() === '') return `extends: '${written}' names no file`
  const steps = inside === undefined || inside.trim() === '' ? [] : stepsOf(inside)
  if (steps === undefined) return `extends: behind # stand tags with / between them, such as #opts or #a/b`
  return { written, scheme, path: path.trim(), steps }
}
