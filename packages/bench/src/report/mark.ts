const shapes = [
  '<circle r="4"/>',
  '<rect x="-3.7" y="-3.7" width="7.4" height="7.4"/>',
  '<path d="M0 -5L4.7 3.4H-4.7Z"/>',
  '<path d="M0 -5.3L5.3 0L0 5.3L-5.3 0Z"/>',
  '<path d="M0 5L4.7 -3.4H-4.7Z"/>',
  '<path d="M-1.5 -5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5V-1.5H-1.5Z"/>',
]

/** Mark of a series by its number, so that curves differ without colour too. Centred at the origin of its group. */
export function markShape(index: number, isHollow = false): string {
  const shape = shapes[index % shapes.length] as string
  return shape.replace(' ', ` class="${isHollow ? 'mark hollow' : 'mark'}" `)
}
