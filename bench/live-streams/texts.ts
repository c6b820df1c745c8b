/** What the streams say, in turn: some 45 words each, about 16 seconds of speech. */
export const texts: readonly string[] = [
  "The ferry leaves at a quarter past seven, and it does not wait. If you walk along the harbour wall you will see the lights of the far shore, " +
    "and behind them the hills where my grandmother kept her bees until the winter of the great storm.",
  "Before you bake the bread, let the dough rest under a damp cloth. It should double in size, slowly, in a cool room. " +
    "When you press it with a finger the hollow must fill again by itself; then heat the oven, and put a bowl of water inside.",
  "Our library opens at nine, except on Mondays. You may borrow ten books at a time, for four weeks, and renew them twice. " +
    "Children's cards are free. Please return what others are waiting for, because the list for the new novel is already quite long.",
  "Thank you for calling about your washing machine. I have found the order, and a technician can visit on Thursday morning between " +
    "eight and twelve. He will bring a new pump and a door seal. Would you like a message half an hour before he arrives?",
  "The path climbs through beech woods for an hour. Above the last trees the view opens to the south, where three lakes lie one behind the other. " +
    "Keep to the ridge, drink enough, and be back at the hut before the clouds come in from the west.",
  "A violin is made of about seventy pieces of wood. The top is spruce, which carries sound quickly along the grain; the back is maple, " +
    "harder and heavier. Nobody knows exactly why some instruments sing after three hundred years, but many people have a theory about the varnish.",
  "Yesterday the council voted for the new bridge. It will be narrow, with room for bicycles and a single tram, and it will cost less than " +
    "the old plan. Work begins in spring. Until then, a small boat carries passengers across the river every ten minutes.",
  "To reset the alarm, hold both buttons until the lamp turns green. Then let go, wait for two short tones, and enter your code. " +
    "If the lamp stays red, the battery is nearly empty. You will find a spare one behind the cover, next to the small screwdriver.",
];
