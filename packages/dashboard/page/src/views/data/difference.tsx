/** Lines of each side that are compared one by one; longer ones are compared by what they have. */
const mostCompared = 1_000

/** Lines that go, and lines that come. */
export function Difference({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = linesOf(before.split('\n'), after.split('\n'))
  if (lines.every(([mark]) => mark === ' ')) return <p class="note">Nothing differs.</p>
  return (
    <pre class="difference" aria-label="Difference" tabIndex={0}>
      {lines.map(([mark, line], i) =>
        mark === '−' ? <del key={i}>− {line}</del> : mark === '+' ? <ins key={i}>+ {line}</ins> : null,
      )}
    </pre>
  )
}

type Line = readonly [mark: ' ' | '−' | '+', line: string]

/** Equal lines at both ends stay; those between go or come, as the longest common ones leave them. */
function linesOf(old: readonly string[], fresh: readonly string[]): readonly Line[] {
  let [first, last] = [0, 0]
  while (first < Math.min(old.length, fresh.length) && old[first] === fresh[first]) first += 1
  while (
    last < Math.min(old.length, fresh.length) - first &&
    old[old.length - 1 - last] === fresh[fresh.length - 1 - last]
  )
    last += 1
  const gone = old.slice(first, old.length - last)
  const come = fresh.slice(first, fresh.length - last)
  if (gone.length * come.length > mostCompared ** 2)
    return [...gone.map((line): Line => ['−', line]), ...come.map((line): Line => ['+', line])]
  return common(gone, come)
}

function common(gone: readonly string[], come: readonly string[]): readonly Line[] {
  const width = come.length + 1
  const lengths = new Uint32Array((gone.length + 1) * width)
  for (let i = gone.length - 1; i >= 0; i -= 1)
    for (let j = come.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        gone[i] === come[j]
          ? (lengths[(i + 1) * width + j + 1] as number) + 1
          : Math.max(lengths[(i + 1) * width + j] as number, lengths[i * width + j + 1] as number)
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < gone.length || j < come.length) {
    const isSame = i < gone.length && j < come.length && gone[i] === come[j]
    const goes =
      j >= come.length ||
      (i < gone.length && (lengths[(i + 1) * width + j] as number) >= (lengths[i * width + j + 1] as number))
    if (isSame) {
      lines.push([' ', gone[i] as string])
      i += 1
      j += 1
    } else if (goes) lines.push(['−', gone[i++] as string])
    else lines.push(['+', come[j++] as string])
  }
  return lines
}
