import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../../test/knowledge/data");

/** The documents of the set: file name and text. Written for it; nine in five languages. */
export function labelledDocuments(): { fileName: string; text: string }[] {
  return readdirSync(folder)
    .sort()
    .map((fileName) => ({ fileName, text: readFileSync(join(folder, fileName), "utf8") }));
}

/** A question as a caller would say it, and words of the one passage that answers it. */
export interface LabelledQuestion {
  question: string;
  answer: string;
}

/**
 * Questions were written from the callers' side, a good part of them in other words than the text's; none was changed
 * after the ranking was seen.
 */
export const labelledQuestions: readonly LabelledQuestion[] = [
  ["what time can I get into my room", "Rooms are ready from 3 pm"],
  ["Can I check out later than eleven?", "a late departure until 2 pm"],
  ["how much is parking per night", "costs 18 euros a night"],
  ["will my van fit in your garage", "vans and cars with roof boxes"],
  ["is there somewhere to charge my electric car", "chargers for electric cars"],
  ["when is breakfast served on Sunday", "on Sundays until noon"],
  ["do you have anything gluten free in the morning", "Gluten-free bread"],
  ["can I bring my dog", "Dogs are welcome"],
  ["what's the wifi password at the hotel", "The network is called HarbourView"],
  ["until when may my kids swim in the pool", "Children under sixteen use the pool"],
  ["I need to cancel my booking, do I have to pay", "Flexible bookings can be cancelled"],
  ["how do I get to you from the airport", "take the S3 line"],
  ["we want to hold a meeting for thirty people", "hold 12, 40 and 90 people"],
  ["I left my sunglasses in the room", "kept for six months"],
  ["do you have a room for someone in a wheelchair", "roll-in showers"],
  ["what is this city tax on my bill", "2.50 euros for each adult"],
  ["how long do I have to return something", "30 days from delivery"],
  ["I sent my order back last week, where is my money", "within five working days of its arrival"],
  ["these boots are too small, can I swap them for a bigger size", "To change a size"],
  ["how much is express shipping", "Express arrives the next working day"],
  ["do you deliver to Switzerland", "Norway and Switzerland"],
  ["can you ship to London", "We do not ship to the United Kingdom"],
  ["my tracking link hasn't changed for days", "we open a search with the carrier"],
  ["the tent arrived with a hole in it", "Send us a photograph"],
  ["how long is the guarantee on a backpack", "lifetime guarantee"],
  ["can you fix the zip on my jacket", "A zip costs from 25"],
  ["can I pay in instalments", "instalments over 3, 6 or 12 months"],
  ["is there a student discount", "Students get ten percent"],
  ["I found it cheaper somewhere else", "cheaper at another shop"],
  ["does my gift card expire", "valid for three years"],
  ["how should I wash my rain jacket", "Wash membrane jackets"],
  ["are you open on Saturdays", "first Saturday of a month"],
  ["I have to move my appointment", "move or cancel them 24 hours ahead"],
  ["I have a terrible toothache, can I come today", "come at 8 sharp"],
  ["it is Sunday night and my tooth hurts, who do I call", "dental emergency line"],
  ["my tooth was pulled and it is still bleeding", "Bite on the gauze"],
  ["when can I do sport again after the implant", "leave out sport for five days"],
  ["does insurance pay for my daughter's braces", "braces from the second degree"],
  ["what does a professional cleaning cost", "costs 95"],
  ["how much do you charge for whitening my teeth", "Bleaching with a tray"],
  ["I'm really scared of the dentist", "laughing gas"],
  ["can I get an estimate for a crown", "written estimate"],
  ["could you send my x-rays to another dentist", "encrypted, within two days"],
  ["is it safe to get an injection while pregnant", "Numbing injections"],
  ["how do I set up the router for the first time", "Connect the grey cable"],
  ["why is the light on my box orange", "Orange: no signal"],
  ["what does purple mean", "an update is being installed"],
  ["my internet is down", "unplug the grey cable for ten seconds"],
  ["the wifi is really slow in the bedroom", "thick walls are the reason"],
  ["how can I change my wifi password", "at least twelve characters"],
  ["I want to give visitors their own wifi", "keeps visitors away"],
  ["how do I block my kids' tablets at night", "Give each child a profile"],
  ["reset the router to factory settings", "paper clip for twelve seconds"],
  ["when are updates installed", "between 2 and 5 at night"],
  ["open a port for my security camera", "open Internet, Ports, Add"],
  ["can I see missed calls", "Missed calls"],
  ["how much power does it use", "11 watts"],
  ["I lost my card", "Block it at once"],
  ["someone stole my wallet with my credit card", "Block it at once"],
  ["I forgot my PIN number", "Forgotten PIN"],
  ["my card was declined in a shop", "The usual reasons are"],
  ["raise my daily limit", "Limits are changed under"],
  ["what are the fees for taking out cash abroad", "Cash abroad costs 4"],
  ["there is a payment on my statement that I don't know", "do not recognise a payment"],
  ["what do I need to open an account", "You need to be eighteen"],
  ["I would like to close my account", "Closing takes a week"],
  ["what interest do I pay on the overdraft", "9.9 percent"],
  ["how long does a transfer to Spain take", "arrive the next working day, instant"],
  ["I sent money to the wrong account", "called back only if the receiver agrees"],
  ["how much interest do savings earn", "2.1 percent"],
  ["I got a text message asking for my code", "We never ask for a PIN"],
  ["Wann haben Sie geöffnet?", "Dienstag bis Sonntag von 10"],
  ["Was kostet der Eintritt für Kinder?", "Kinder unter sechs Jahren"],
  ["Kann ich mit Blitz fotografieren?", "Fotos ohne Blitz"],
  ["Wann läuft die Dampfmaschine?", "jeden zweiten Sonntag"],
  ["Wo kann ich meinen Rucksack lassen?", "Rucksäcke und Schirme"],
  ["Gibt es Parkplätze beim Museum?", "Parkplätze gibt es nur"],
  ["¿Cuánto cuesta un curso?", "trimestral cuesta 320"],
  ["¿Hay clases los sábados?", "Los sábados hay clases"],
  ["¿Puedo recuperar una clase si falto?", "recuperar la clase en otro grupo"],
  ["¿Cuándo son los exámenes?", "en mayo y noviembre"],
  ["Necesito una habitación", "Buscamos habitación"],
  ["年卡多少钱", "年卡两千四百元"],
  ["周末几点开门", "周末和节假日"],
  ["我想退卡", "七天内可以全额退款"],
  ["小孩可以游泳吗", "泳池长二十五米"],
  ["停车要钱吗", "免费停车两小时"],
  ["チェックインは何時からですか", "午後三時から七時"],
  ["タトゥーがあっても温泉に入れますか", "タトゥーのある方"],
  ["駅からバスはありますか", "駅からの無料バス"],
  ["キャンセルしたいのですが", "七日前までは無料"],
  ["犬を連れて行けますか", "ペットと一緒に泊まる"],
].map(([question = "", answer = ""]) => ({ question, answer }));
