/** One who answers a call. */
export interface Greeting {
  name: string;
  answeredBy: "human" | "voicemail";
  /** What is to be heard, in order. */
  parts: readonly GreetingPart[];
  /** Noise so far below the speech, dB; null is a quiet line. */
  signalToNoiseDb: number | null;
}

export type GreetingPart =
  | { say: string }
  | { pauseMs: number }
  | { beep: BeepKind }
  | { recording: RecordingKind; at: number };

/** Beeps of machines: their tones, one after the other. */
export const beeps = {
  "1000 Hz": [{ hz: [1000], ms: 400 }],
  "440 Hz, long": [{ hz: [440], ms: 900 }],
  "1400 Hz, short": [{ hz: [1400], ms: 220 }],
  "two tones at once": [{ hz: [620, 850], ms: 500 }],
  "two tones in a row": [
    { hz: [900], ms: 200 },
    { hz: [1350], ms: 200 },
  ],
} as const;
export type BeepKind = keyof typeof beeps;

/** Recordings of people (`shared/data`): one word, or a sentence that is read. */
export type RecordingKind = "yes" | "sentence";

/** Written as it is heard: `|600|` is a pause of so many ms, `|beep|` the beep whose turn it is, `|none|` none. */
function partsOf(text: string, at: number): GreetingPart[] {
  const kinds = Object.keys(beeps) as BeepKind[];
  return text.split("|").flatMap((part, index): GreetingPart[] => {
    const trimmed = part.trim();
    if (trimmed === "" || trimmed === "none") return [];
    if (index % 2 === 0) return [{ say: trimmed }];
    if (trimmed === "yes" || trimmed === "sentence") return [{ recording: trimmed, at }];
    return trimmed === "beep" ? [{ beep: kinds[at % kinds.length] ?? "1000 Hz" }] : [{ pauseMs: Number(trimmed) }];
  });
}

/** Every third person answers in noise: a street, a shop. Machines are recorded in quiet places, and some are not. */
function greetingsOf(answeredBy: Greeting["answeredBy"], texts: string): Greeting[] {
  const lines = texts.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line, at) => ({
      name: `${answeredBy}: ${line}`,
      answeredBy,
      parts: partsOf(line, at),
      signalToNoiseDb: at % (answeredBy === "human" ? 3 : 6) === 2 ? 15 : null,
    }));
}

/** By which the thresholds and phrases were chosen. */
export const tuningGreetings: readonly Greeting[] = [
  ...greetingsOf(
    "human",
    `Hello?
     Yes, hello?
     Hi, who's this?
     Peter Miller.
     Smith speaking.
     Jones residence, Mary speaking.
     Hello. |400| Hello?
     Hello, this is Karen.
     Good morning.
     Yeah?
     Good afternoon, Baker and Sons, how can I help you?
     Thank you for calling the Harbour Hotel, my name is Susan, how may I help you today?
     Good evening, you have reached the front desk of the Central Museum, this is Daniel, what can I do for you?
     Hi, hold on a second. |900| Okay, hello?
     Uh, hello? |300| Who is calling please?
     Doctor Walker's office, this is Linda.
     Hello, hello, can you hear me?
     Accounting department, Robert speaking.
     |yes|
     |yes|
     |yes|
     |yes|
     Hello?
     Hi.
     Yes?
     Hello, Thomas here.
     Anderson speaking.
     This is Julia, hello?
     Hello? |700| Anybody there?
     Hey, what's up?
     Good morning, Laura Bennett.
     Who is this?
     Brown and Partners, good morning, this is Emily, how can I help you?
     Good afternoon and thank you for calling Riverside Dental, you're speaking with Jessica, what can I do for you?
     City library, information desk, my name is Michael, how may I assist you today?
     Thanks for calling Green Garden Restaurant, this is Paul speaking.
     Hello, you have reached the Taylor residence, Nancy speaking, who is calling?
     Customer service, good evening, this is Steven at the reception, how can I help?
     Um, hello?
     Yes, speaking.
     Hi there. |350| Yes?
     Mom? Is that you?
     Hello, I am driving, can you hear me?
     Wilson.
     Sales, Angela Moore.
     Hello, one moment please. |800| Yes, hello?
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|`,
  ),
  ...greetingsOf(
    "voicemail",
    `Hi, this is Anna. |500| I can't come to the phone right now. Please leave a message after the tone. |400| |beep|
     You have reached the voicemail of Peter Miller. Please leave your message after the beep. |600| |beep|
     The person you are calling is not available. |300| Please record your message after the tone. |300| |beep|
     Hello. |300| You've reached John and Mary. We're not home right now, so leave your name and number. |500| |beep|
     Hey, it's Tom, you know what to do. |700| |beep|
     Your call has been forwarded to an automated voice messaging system. |600| Five five five, one two three four, is not available. At the tone, please record your message. |400| |beep|
     Thank you for calling Baker and Sons. Our office is currently closed. Our opening hours are Monday to Friday from nine to five. |500| |none|
     Sorry I missed your call. Leave me a message and I'll get back to you as soon as I can. |800| |beep|
     Welcome to the mailbox of five five five two three four nine. |400| |beep|
     Hi, you've reached Susan Clark. I'm either on another call or away from my desk. |500| Please leave a message. |none|
     The number you have dialed is temporarily unavailable. |400| |beep|
     Good day, this is the answering machine of the Walker family. |300| Nobody is at home. |400| |beep|
     |sentence| |300| |beep|
     |sentence| |400| |beep|
     We are sorry that nobody can take your call at the moment, but it is very important to us, so please speak after the signal. |500| |beep|
     Hello, hello! |200| Just kidding, I'm not here, wait for the beep. |600| |beep|
     This is Karen's phone. |600| She is busy. Tell me what you want, and I will let her know. |700| |beep|
     Please leave a message. |300| |beep|
     |beep|
     Hi! This is Bob, I am probably out fishing, so say something nice after the tone and have a great day. |400| |beep|
     Hello, this is David Parker. |400| I am unable to answer your call right now. Please leave your name and number after the tone. |500| |beep|
     You've reached the voice mailbox of Laura Bennett. At the tone, please leave a message. |300| |beep|
     Hi, it's Emma. |450| I'm probably in a meeting. Leave me a message and I will call you back. |600| |beep|
     The customer you are trying to reach is unavailable. |500| Please try again later or leave a message. |400| |beep|
     Hi there, you have reached the Taylors. |400| We can't get to the phone. Please talk after the beep. |400| |beep|
     This is the voicemail service. |300| The person at extension four two seven is not available. Record your message now. |500| |beep|
     Hey, this is Mike, I missed your call, so leave a message. |900| |beep|
     Welcome to Riverside Dental. |300| We are closed today. Please call again on Monday, or leave your name and telephone number. |none|
     Your call could not be answered. |300| If you would like to leave a message, please speak after the tone. |400| |beep|
     Hello, you have called the number of Nancy and Steve. |500| Nobody is here to pick up the phone, you know the drill. |600| |beep|
     Good afternoon. |400| All our agents are busy at the moment. Please leave your details after the signal. |500| |beep|
     The subscriber you have called is switched off or out of reach. |500| |beep|
     |sentence| |400| |beep|
     |sentence| |300| |beep|
     |sentence| |500| |beep|
     |sentence| |600| |beep|
     |sentence| |350| |beep|
     Hi, Chris here. |600| Send me a text, I never listen to this. |700| |beep|
     Hello. |500| Sorry, I'm not able to take your call. Please leave a short message. |none|
     |beep|
     Thank you for calling Green Garden Restaurant. We are open every day from noon until ten. |400| To book a table, please leave a message after the tone. |500| |beep|
     Hi, this is Angela Moore in sales. |350| I am out of the office until the fifth of May. For urgent matters please call my colleague, otherwise leave a message. |600| |beep|
     Please record your message after the beep. |200| |beep|
     You have reached five five five, zero one nine nine. |400| Please leave a message after the tone. |300| |beep|
     It's Paul. |500| Leave a message. |400| |beep|
     This is Robert's answering machine. |400| Robert is on holiday, and I am only a machine. |500| |beep|
     Hi, we are out in the garden or feeding the goats, so please tell us who you are and when we may call you. |600| |beep|
     Sorry, the mailbox of this customer is full. |400| |none|
     Hello, Mary's phone. |400| Mary can't talk just now because she is in the mountains. Speak slowly after the tone, and do not forget your number. |500| |beep|
     Good evening, this is the message line of the City Library. |300| Leave your name, your card number and the title of the book. |500| |beep|
     Hi, you've got Jack. |600| You know what to do and when to do it. |800| |beep|
     I am sorry, but nobody is available to take your call. |300| At the tone, record your message. When you are finished, hang up or press pound for more options. |400| |beep|
     We're not here. |500| Leave a message. |500| |beep|
     This call is being answered by a machine for doctor Walker. |400| In an emergency call nine one one. |500| |beep|`,
  ),
];

/** On which it is measured: nothing was chosen by these. */
export const measuredGreetings: readonly Greeting[] = [
  ...greetingsOf(
    "human",
    `Hello?
     Yes?
     Hi, Sarah.
     Hello, this is George.
     Richards.
     Martin Cooper speaking.
     Hello, who am I talking to?
     Good morning, Lakeside Clinic, Barbara speaking, how may I help you?
     Good afternoon, thanks for calling the Oakwood Theatre box office, my name is Kevin, what can I do for you?
     North Street Garage, hello.
     Evans and Company, you are speaking with Rachel, how can I direct your call?
     Hello. |600| Hello? |500| Is anybody there?
     Yes, this is Frank.
     Hey.
     Hi, sorry, it's a bit loud in here, who is this?
     Town hall, registry office, Mrs Campbell, good morning, what can we do for you?
     Hello, hello?
     Okay, I can hear you now, hello?
     Speaking.
     The Hughes family, Olivia here.
     Hi, this is the reception of the Grand Hotel, you are talking to Simon, how may I be of service?
     Yep, go ahead.
     Welcome to the Blue Lagoon Restaurant, this is Maria, would you like to book a table?
     Uh, yes, hello, good evening.
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|
     |yes|`,
  ),
  ...greetingsOf(
    "voicemail",
    `Hi, you have reached Sarah. |450| I can't answer the phone at the moment. Please leave your message after the beep. |500| |beep|
     Hello, you're through to the voicemail of Martin Cooper. |400| Please leave a message, and I will call you back. |600| |beep|
     The person you have called is not able to take your call. |400| After the tone, please record your message. |300| |beep|
     Welcome to the voice messaging service. |300| Please speak after the tone. |300| |beep|
     Hi, this is George. |600| You have missed me, try again. |700| |beep|
     Good morning, this is Lakeside Clinic. |350| Our consulting hours are over. In case of an emergency, please dial one one two. |500| |none|
     Thank you for calling the Oakwood Theatre. |400| The box office opens at ten. Please leave your name and number and we will get back to you. |500| |beep|
     We are the Hughes family. |500| None of us is near the phone. Talk to the machine. |600| |beep|
     Your call is being transferred to the mailbox of Kevin Brown. |400| |beep|
     Hey there, Olivia's phone, she's not around. |450| Say who you are and what it is about. |600| |beep|
     The mobile phone you are calling is turned off. |400| Please leave your message after the tone. |400| |beep|
     |sentence| |300| |beep|
     |sentence| |450| |beep|
     |sentence| |600| |beep|
     |sentence| |350| |beep|
     |sentence| |500| |beep|
     Yo, it's Frank. |500| Not here. |700| |beep|
     Hello. |450| This is the answering service of North Street Garage. Please tell us your registration number after the signal. |400| |beep|
     I'm sorry, I can't take your call right now. |400| Leave a message. |500| |none|
     |beep|
     This number only takes messages. |400| Speak now. |400| |beep|
     Hi, it's Rachel, I'm on vacation until the end of August, so if it is urgent, please call my colleague at the office. |700| |beep|
     Please wait for the tone and then record your message. |300| |beep|
     Hi, you've called Simon and Maria. |500| We're out, or asleep, or hiding from you. |300| You know where the beep is. |500| |beep|
     The voice mailbox of the subscriber has not been set up yet. |400| Goodbye. |none|
     Good evening, you have reached the Grand Hotel. |300| All lines are busy right now, please leave your number. |400| |beep|
     Barbara Evans here, well, not really. |450| Leave a message and I'll ring you back. |500| |beep|
     This is an automatic answering machine. |300| There is nobody at home, so please call later. |400| |beep|
     Hello, this is Richards, I'm away from the phone. |400| Leave your name. |500| |beep|
     You have called the complaints line of the town hall. |400| State your name, your address and the reason of your call after the tone. |500| |beep|
     Welcome. |500| The extension you have dialed is not available. |400| To leave a message, stay on the line. |500| |beep|
     Hi, this is Anne. |700| I'm in class. |500| Text me. |600| |beep|
     If you hear this, I'm busy. |500| Leave me something nice. |600| |beep|
     Sorry, nobody can come to the phone. |300| The machine is all yours. |400| |beep|
     Hello, hello, this is the telephone of the Garden Club. |350| Our next meeting is on Friday at seven. For anything else, leave a message. |600| |beep|
     At the signal, leave your message for Mr Campbell. |300| |beep|`,
  ),
];
