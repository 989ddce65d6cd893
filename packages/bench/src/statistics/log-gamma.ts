/** ln Γ(x) for x > 0: Stirling's series (DLMF 5.11.1) after shifting x to where it converges to double precision. */
export function logGamma(x: number): number {
  let shifted = x
  let product = 1
  while (shifted < 10) product *= shifted++
  const inverse = 1 / (shifted * shifted)
  const series =
    (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) / shifted
  return (
    (shifted - 0.5) * Math.log(shifted) - shifted + Math.log(2 * Math.PI) / 2 + series - Math.log(product)
  )
}
