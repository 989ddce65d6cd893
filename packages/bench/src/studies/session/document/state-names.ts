/**
 * The name of an interaction, written with other separators or in another case: `sell.auction.item` is `SELL_AUCTION_ITEM`. The mode
 * after `@` stays, and so does a name that no interaction has.
 */
export function nameIn(interactions: readonly string[], given: string): string {
  const [state = '', ...mode] = given.split('@')
  const found = interactions.find((name) => plain(name) === plain(state)) ?? state
  return [found, ...mode].join('@')
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}
